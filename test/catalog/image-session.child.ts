/**
 * One whole life of an image as the user that this program runs as: pulled from the stand-in registry, started, asked for
 * its tools and for an answer. `hold`: prints the pid of Cordon's sandbox room and waits to be killed instead.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { commandOf, readFacts, rootOf } from '../../src/catalog/images/image-facts.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { never } from '../../src/kernel/test-never.ts'
import { everythingImage } from '../fixtures/everything-image.ts'
import { openImageRegistry } from '../fixtures/image-registry.ts'
import { installImage, openImageHouse } from './image-house.ts'

const [how = ''] = process.argv.slice(2)
await using registry = await openImageRegistry()
registry.add('acme/it', '1.0', everythingImage())
const home = mkdtempSync('/var/tmp/cordon-image-session-')
chmodSync(home, 0o700)
process.stdout.write(`${JSON.stringify({ home })}\n`)
if (how === 'install') {
  registry.answer = (request) => {
    const isLayer = request.url?.includes('/blobs/') === true && layers++ > 0
    if (isLayer) process.stdout.write('{"pulling":true}\n')
    return isLayer // and never an answer
  }
}
let layers = 0
await using house = await openImageHouse(registry, { home, silenceMs: 60_000 })
const { entry } = await installImage(house)
const facts = readFacts(entry)
const launch = { kind: 'image', package: facts.image, version: facts.digest, args: [] } as const
const [command = '', ...args] = commandOf(facts, launch)
const running = await house.sandbox.launch(
  {
    server: parseServerId('it'),
    command,
    args,
    environment: {},
    networked: true,
    settings: {
      mode: 'bwrap',
      memoryLimitBytes: 2 ** 28,
      readOnlyFs: true,
      allowTmp: true,
      readPaths: [],
      writePaths: [],
      image: rootOf(entry, facts, launch),
    },
  },
  never,
)
running.stderr.resume()
const say = (message: object) =>
  running.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const clientInfo = { name: 'test', version: '1' }
say({
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
})
say({ method: 'notifications/initialized' })
say({ id: 2, method: 'tools/list' })
say({ id: 3, method: 'tools/call', params: { name: 'echo', arguments: { message: 'inside' } } })
let heard = ''
for await (const chunk of running.stdout.iterator({ destroyOnReturn: false })) {
  heard += String(chunk)
  if (/"id":3/.test(heard)) break
}
const lines = heard.split('\n').filter((line) => line.startsWith('{'))
const answers = lines.map((line) => JSON.parse(line) as { id?: number; result?: { tools?: [] } })
const tools = answers.find(({ id }) => id === 2)?.result?.tools?.length ?? 0
const answer = JSON.stringify(answers.find(({ id }) => id === 3)?.result)
process.stdout.write(`${JSON.stringify({ tools, answer, pid: running.pid })}\n`)
if (how === 'hold') await running.ended
await running.stop()
rmSync(path.join(home), { recursive: true })
