#include "server/docs_page.hpp"

namespace optimux::server {
namespace {

constexpr std::string_view kLanding = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>optimux</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;color:#222}code{background:#f2f2f2;padding:.1em .3em}</style>
</head><body><h1>optimux</h1>
<p>Resizes, re-encodes and streams images by URL.</p>
<p><code>/resize?image_url=URL&amp;sizes=300x0&amp;format=webp</code></p>
<ul><li><a href="optimux/docs">The API, described and tried here</a></li><li><a href="openapi.json">OpenAPI</a></li>
<li><a href="health">Health</a></li></ul></body></html>
)html";

constexpr std::string_view kDocs = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>optimux: the API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem .3rem 0;border-bottom:1px solid #e3e3e3}
code,input,select,output{font-family:ui-monospace,monospace;font-size:14px}input,select{width:100%;box-sizing:border-box;padding:.25rem}
#url{display:block;overflow-wrap:anywhere;background:#f2f2f2;padding:.5rem;margin:.5rem 0}
button{padding:.4rem 1.2rem}img{max-width:100%;margin-top:1rem;background:repeating-conic-gradient(#eee 0 25%,#fff 0 50%) 0/20px 20px}
pre{background:#f2f2f2;padding:.5rem;overflow:auto;max-height:24rem}
</style></head><body>
<h1>optimux</h1>
<p>An image below the root of this server, or at any allowed URL, in another size and format. Errors are
<code>application/problem+json</code>. The same in a form for machines: <a href="../openapi.json">openapi.json</a>.</p>
<h2>Try it</h2>
<form id="form">
<p><label>Signing key, only if this server wants signed URLs; it stays in this page
<input id="key" type="password" placeholder="hexadecimal digits" autocomplete="off"></label></p>
<p><label>Source: a URL (<code>https://…</code>, <code>file:///key</code>, <code>s3://bucket/key</code>), or a key below the root
<input id="source" placeholder="photo.jpg" autocomplete="off"></label></p>
<table id="parameters"><thead><tr><th>Parameter</th><th>Value</th><th>Allowed</th><th>Default</th><th>Meaning</th></tr></thead><tbody></tbody></table>
<output id="url"></output>
<p><button>Send</button></p>
</form>
<pre id="head" hidden></pre><pre id="text" hidden></pre><img id="picture" alt="" hidden>
<h2>Routes</h2><table id="routes"><thead><tr><th>Route</th><th>Answer</th></tr></thead><tbody></tbody></table>
<script>
"use strict";
const at = id => document.getElementById(id);
const cell = (row, text, tag) => {
  const td = row.insertCell(), inner = tag ? td.appendChild(document.createElement(tag)) : td;
  inner.textContent = text;
  return td;
};
// Behind a proxy all paths may have a prefix.
const base = location.pathname.replace(/\/optimux\/docs\/?$/, "");
const inputs = [];
function listOf(values) {
  const list = document.createElement("select");
  for (const value of ["", ...values]) list.add(new Option(String(value)));
  return list;
}
function fieldFor(schema) {
  if (schema.enum) return listOf(schema.enum);
  if (schema.type === "boolean") return listOf([true, false]);
  const field = document.createElement("input");
  if (schema.minimum !== undefined) Object.assign(field, {type: "number", min: schema.minimum, max: schema.maximum, step: schema.type === "integer" ? 1 : "any"});
  if (schema.pattern) field.pattern = schema.pattern.replace(/^\^|\$$/g, "");
  if (!schema.anyOf) return field;
  const words = document.createElement("datalist");
  for (const value of schema.anyOf[0].enum) words.appendChild(new Option(value, value));
  words.id = "words-" + inputs.length;
  document.body.appendChild(words);
  field.setAttribute("list", words.id);
  return field;
}
function currentUrl() {
  const source = at("source").value.trim() || "photo.jpg", query = new URLSearchParams();
  const isUrl = /^[a-z0-9]+:/i.test(source);
  if (isUrl) query.set("image_url", source);
  for (const input of inputs) if (input.value !== "") query.set(input.name, input.value);
  const path = base + (isUrl ? "/resize" : "/optimux/assets/") + (isUrl ? "" : source.split("/").map(encodeURIComponent).join("/"));
  const text = query.toString();
  return text ? path + "?" + text : path;
}
// HMAC-SHA256 over path and query, as the server sees them: without the prefix of a proxy.
async function signed(url) {
  const digits = at("key").value.trim();
  if (!digits) return url;
  if (!window.crypto.subtle) throw new Error("signing needs https, or a page of this machine");
  const bytes = Uint8Array.from(digits.match(/../g) || [], pair => parseInt(pair, 16));
  const key = await crypto.subtle.importKey("raw", bytes, {name: "HMAC", hash: "SHA-256"}, false, ["sign"]);
  const target = url.slice(base.length), mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(target));
  const text = btoa(String.fromCharCode(...new Uint8Array(mac)));
  return url + (url.includes("?") ? "&" : "?") + "sig=" + text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
async function show() { at("url").textContent = await signed(currentUrl()); }
async function send() {
  const url = await signed(currentUrl()), began = performance.now(), response = await fetch(url), blob = await response.blob();
  let head = response.status + " " + response.statusText + "   " + Math.round(performance.now() - began) + " ms   " + blob.size + " bytes\n";
  response.headers.forEach((value, name) => { head += name + ": " + value + "\n"; });
  at("head").textContent = head;
  at("head").hidden = false;
  const isPicture = blob.type.startsWith("image/");
  at("picture").hidden = !isPicture;
  at("text").hidden = isPicture;
  if (isPicture) {
    URL.revokeObjectURL(at("picture").src);
    at("picture").src = URL.createObjectURL(blob);
  } else {
    at("text").textContent = (await blob.text()).slice(0, 20000);
  }
}
async function begin() {
  const api = await (await fetch(base + "/openapi.json")).json();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const row = at("routes").tBodies[0].insertRow();
      cell(row, method.toUpperCase() + " " + path, "code");
      cell(row, operation.summary);
    }
  }
  for (const parameter of Object.values(api.components.parameters)) {
    if (!parameter["x-transform"]) continue;
    const row = at("parameters").tBodies[0].insertRow();
    cell(row, parameter.name, "code");
    const input = cell(row, "").appendChild(fieldFor(parameter.schema));
    input.name = parameter.name;
    input.addEventListener("input", update);
    inputs.push(input);
    cell(row, parameter["x-values"]);
    cell(row, parameter["x-default"]);
    cell(row, parameter.description);
  }
  for (const id of ["source", "key"]) at(id).addEventListener("input", update);
  at("form").addEventListener("submit", event => { event.preventDefault(); send().catch(fail); });
  update();
}
function update() { show().catch(fail); }
function fail(error) { at("head").textContent = String(error); at("head").hidden = false; }
begin().catch(fail);
</script></body></html>
)html";

}  // namespace

std::string_view landing_page() {
  return kLanding;
}
std::string_view docs_page() {
  return kDocs;
}

}  // namespace optimux::server
