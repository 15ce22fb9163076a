"""Opens a page in headless Chromium and writes down what can be seen when.

A program of its own, so that it can run in another network namespace than who evaluates it.
usage: browser_page.py PAGE FOLDER SECONDS
Saves a screenshot about each SECONDS (comma-separated, or nothing) after the page was opened to FOLDER/SECONDS.png, and prints JSON:
  {"shots": [[seconds asked for, seconds], ...], "images": {url: seconds of its last byte}, "in_view": [url, ...]}
Certificates are not checked.
"""

import json
import sys
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

SIZE = (1000, 1000)
LIMIT = 120.0  # seconds until all images have come
TIMINGS = """return performance.getEntriesByType('resource').filter(e => e.initiatorType === 'img' && e.responseEnd > 0)
  .map(e => [e.name, e.responseEnd / 1000])"""
IN_VIEW = """return [...document.images].filter(e => {
  const box = e.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight;
}).map(e => e.src)"""
EXPECTED = "return document.images.length"


def open_browser():
    options = Options()
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--ignore-certificate-errors",
        "--disable-background-networking",
        "--disable-gpu",
        f"--window-size={SIZE[0]},{SIZE[1]}",
    ):
        options.add_argument(argument)
    options.accept_insecure_certs = True
    options.page_load_strategy = "none"
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


def sleep_until(moment):
    time.sleep(max(0.0, moment - time.monotonic()))


def watch(browser, page, folder, moments):
    browser.get("about:blank")
    begin = time.monotonic()
    browser.get(page)
    shots = []
    for at in sorted(moments):
        sleep_until(begin + at)
        shots.append([at, time.monotonic() - begin])
        browser.save_screenshot(f"{folder}/{at:g}.png")
    images = all_images(browser, begin)
    return {"shots": shots, "images": images, "in_view": browser.execute_script(IN_VIEW)}


def all_images(browser, begin):
    expected = browser.execute_script(EXPECTED)
    while True:
        images = dict(browser.execute_script(TIMINGS))
        if len(images) >= expected or time.monotonic() - begin > LIMIT:
            return images
        time.sleep(0.2)


def main():
    page, folder, moments = sys.argv[1], sys.argv[2], [float(text) for text in sys.argv[3].split(",") if text]
    browser = open_browser()
    try:
        json.dump(watch(browser, page, folder, moments), sys.stdout)
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
