/** Flows over real servers from npm: filesystem, memory, everything, and a database. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { openFlowCordon } from '../fixtures/flow-cordon.ts'

test('tools of real servers are nodes like any other, and work together', async () => {
  await using cordon = await openFlowCordon({ isReal: true })
  const { says, folder } = cordon
  assert.equal(await says(['mcp-everything-echo', '--message', 'hi']), 'Echo: hi')
  assert.match(await says(['mcp-everything-get-sum', '--a', '40', '--b=2']), /42/)
  const sql = 'select 40 + 2 as answer'
  assert.match(await says(['mcp-db-execute-sql', '--sql', sql, '--yes']), /"answer": 42/)

  const note = path.join(folder, 'note.txt')
  const write = `mcp-files-write_file --path ${note} --content "from a flow"`
  await says(['run', write, '--yes'])
  assert.equal(readFileSync(note, 'utf8'), 'from a flow')
  assert.match(await says(['mcp-files-read_text_file', '--path', note]), /from a flow/)
  assert.match(await says(['mcp-files-list-directory', '--path', folder]), /note\.txt/)

  const listed = `mcp-files-list-directory --path ${folder} >> lines`
  assert.match(
    await says([`${listed} >> filter --where ". contains note" >> join`]),
    /^\[FILE\] note\.txt$/,
  )
  const counted = await cordon.run(['mcp-memory-read-graph >> count'])
  assert.equal(counted.code, 2)
  assert.match(
    counted.stderr,
    /"count" takes array, and "mcp-memory-read-graph" gives "result" \(object\), "entities" \(object\[\]\)/,
  )

  const entities = '[{"name":"Ada","entityType":"person","observations":["wrote flows"]}]'
  await says(['mcp-memory-create-entities', '--entities', entities, '--yes'])
  const known = await says([
    'mcp-memory-search-nodes --query Ada >> pick --fields \'["entities"]\'',
  ])
  assert.match(known, /wrote flows/)
})

test('a flow of several lines writes the answer of a real server into a file', async () => {
  await using cordon = await openFlowCordon({ isReal: true })
  const flow = [
    '# the sum, and what was said',
    'mcp-everything-get-sum as sum --a 1 --b 2',
    '  >> mcp-everything-echo --message "the sum: ${sum.result}"',
    '  >> write-file --path said.txt',
    '',
  ].join('\n')
  writeFileSync(path.join(cordon.folder, 'sum.flow'), flow)
  const foreign = await cordon.run(['run', 'sum.flow', '--yes'])
  assert.deepEqual([foreign.code, /cordon flow save FILE/.test(foreign.stderr)], [3, true])
  await cordon.run(['flow', 'save', 'sum.flow', '--as-mine'])
  const { code, stderr } = await cordon.run(['run', 'sum.flow', '--yes'])
  assert.equal(code, 0, stderr)
  assert.match(readFileSync(path.join(cordon.folder, 'said.txt'), 'utf8'), /Echo: the sum: .*3/)
})
