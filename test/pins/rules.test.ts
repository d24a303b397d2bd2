/**
 * Freezes the names of the rules by which a call is allowed, asked about or refused: audit records and the output of
 * `mcp call --json` hold these names. Names made from a union (`tool.quarantined`) are frozen by the union's type.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Shapes } from './shapes.ts'
import { childOf, nameOf, readShipped } from './syntax.ts'

const FROZEN = `
approval.needed
approval.not-own-words
approval.too-large
approval.too-many
approval.unreadable
approval.void
client.budget
content.acts
flow
flow.regulated
grant.contact
grant.directory
grant.spend
grant.spent
grant.tool
loop.external
otherwise
plan
plan.approved
plan.external
plan.reads
plan.spent
plan.writes
read.local
read.remote
secret
target.external
template.budget
template.ceiling
template.none
template.tool
template.writes
tool.arguments
tool.changed
write.content
write.own
`

test('no rule appears, disappears or changes unnoticed', () => {
  const sources = readShipped()
  const shapes = new Shapes(sources)
  const found = sources.flatMap((source) =>
    source.nodes
      .filter((node) => node.type === 'Property' && nameOf(childOf(node, 'key')) === 'rule')
      .flatMap((node) => childOf(node, 'value') ?? [])
      .flatMap((value) => shapes.follow([value, { source }]))
      .flatMap(([value]) => (value.type === 'Literal' ? [nameOf(value)] : [])),
  )
  assert.deepEqual([...new Set(found)].sort(), FROZEN.trim().split('\n'))
})
