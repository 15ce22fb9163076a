// The object store of the tests: s3rver, which checks signatures. Arguments: the folder for its objects, then the names
// of buckets. Prints its port once it is ready, and ends with its standard input.
'use strict'
const S3rver = require('@20minutes/s3rver')

const [directory, ...buckets] = process.argv.slice(2)
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  // `bucket.localhost` as a host is an address of the bucket.
  serviceEndpoint: 'localhost',
  configureBuckets: buckets.map((name) => ({ name })),
})
server.run().then((address) => console.log(address.port))
process.stdin.resume().on('end', () => process.exit(0))
