/** Tools and flows from TypeScript. Run it with Node 24: `node count-files.ts /some/folder`. */
import { type CordonError, openCordon } from 'cordon'

const say = (line: string) => process.stdout.write(`${line}\n`)
const folder = process.argv[2] ?? process.cwd()
await using cordon = await openCordon()

// One tool, by `server.tool`. Where your yes is needed it is refused, unless you say otherwise.
const listing = await cordon.call('files.list_directory', { path: folder })
say(`one call: ${JSON.stringify(listing).length} characters`)

// A flow, checked before it runs.
const flow = 'mcp-files-list-directory as list >> write-file --path listing.txt'
const { isSound, needs, steps } = await cordon.check(flow)
say(`the flow ${isSound ? 'makes sense' : 'does not make sense'}`)
for (const { name, type } of needs) say(`  needs ${name} (${type})`)
for (const { tool, verdict } of steps) say(`  ${tool}: ${verdict}`)

try {
  const { id, outputs } = await cordon.run(
    flow,
    { 'list-path': folder },
    { folder, approval: 'given' },
  )
  say(`run ${id} gave ${Object.keys(outputs).join(', ')}`)
} catch (error) {
  say(`it did not run: ${(error as CordonError).message}`)
}
