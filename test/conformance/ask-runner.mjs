/**
 * The program that the suite starts as "the client": hands its server's address to the runner, where Cordon is loaded
 * already, waits until the runner has acted, and prints what it said.
 */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

const [, , socketPath, url] = process.argv
const { MCP_CONFORMANCE_SCENARIO: name, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env
const socket = connect({ path: socketPath, allowHalfOpen: true })
socket.end(JSON.stringify({ name, url, context: JSON.parse(context) }))
const { said, failed } = JSON.parse(await text(socket))
console.log(said.join('\n'))
if (failed !== undefined) {
  console.error(failed)
  process.exitCode = 1
}
