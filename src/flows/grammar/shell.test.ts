/** A flow that is not quoted, as a real shell passes it on. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { parseFlow } from './parse-flow.ts'
import { printCommand } from './print-flow.ts'
import { decideShellMistake } from './shell-mistake.ts'
import { describeNode } from './test-nodes.ts'

interface Seen {
  readonly argv: readonly string[]
  readonly isFile: boolean
  readonly target: string
}

/** A program that reports its arguments and the target of its output on stderr. */
const WITNESS = `const fs = require('node:fs')
const target = fs.readlinkSync('/proc/self/fd/1')
const seen = { argv: process.argv.slice(1), isFile: fs.fstatSync(1).isFile(), target }
fs.writeSync(2, JSON.stringify(seen))`

function runInShell(command: string): { readonly seen: Seen; readonly files: readonly string[] } {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-shell-'))
  try {
    const env = { NODE: process.execPath, WITNESS, PATH: process.env['PATH'] }
    const script = `cordon() { "$NODE" -e "$WITNESS" -- "$@"; }; { ${command}\n} 2>&3`
    const seen = execFileSync('bash', ['-c', `exec 3>&1; ${script}`], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
    return { seen: JSON.parse(seen) as Seen, files: readdirSync(folder) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function mistakeIn(command: string) {
  const { seen, files } = runInShell(command)
  const mistake = decideShellMistake({
    argv: seen.argv,
    stdoutIsRegularFile: seen.isFile,
    stdoutBasename: path.basename(seen.target),
    knowsNode: (name) => describeNode(name) !== undefined,
    takesFlag: (node, flag) => describeNode(node)?.inputs.includes(flag) === true,
    emptyFiles: files,
  })
  return { mistake, files }
}

test('an unquoted flow is found out in a real shell, and the command that is offered works there', () => {
  const typed =
    'cordon mcp-github-search-code --query "to do" >> summarize-text >> mcp-slack-send-message --channel=dev'
  const { mistake, files } = mistakeIn(typed)
  assert.deepEqual([...files].sort(), ['mcp-slack-send-message', 'summarize-text'])
  assert.deepEqual(mistake?.files, ['summarize-text', 'mcp-slack-send-message'])
  const offered = runInShell(mistake?.command ?? '')
  assert.deepEqual(offered.files, [])
  const read = parseFlow(offered.seen.argv)
  assert.equal(read.kind === 'flow' && printCommand(read.flow), mistake?.command)
  assert.equal(
    offered.seen.argv[0],
    'mcp-github-search-code --query="to do" >> summarize-text >> mcp-slack-send-message --channel=dev',
  )
})

test('arrows that a shell takes for redirections are found out too', () => {
  for (const arrow of ['=>', '->']) {
    const { mistake } = mistakeIn(`cordon mcp-github-search-code --query x ${arrow} summarize`)
    assert.equal(mistake?.command, "cordon 'mcp-github-search-code --query=x >> summarize'", arrow)
  }
})

test('an honest redirection is left alone', () => {
  assert.equal(mistakeIn('cordon mcp-github-search-code --query x >> found.txt').mistake, undefined)
  assert.equal(mistakeIn('cordon mcp-github-search-code --query x | cat >&3').mistake, undefined)
})

test('every form that needs no quotes of its own arrives whole', () => {
  for (const typed of [
    'cordon \'wait --seconds 2 >> llm --prompt "a b"\'',
    "cordon wait --seconds 2 '>>' llm --prompt 'a b'",
    'cordon wait --seconds 2 then llm --prompt "a b"',
    'cordon wait --seconds=2 \\>\\> llm --prompt=a\\ b',
  ]) {
    const read = parseFlow(runInShell(typed).seen.argv)
    assert.equal(
      read.kind === 'flow' && printCommand(read.flow),
      `cordon 'wait --seconds=2 >> llm --prompt="a b"'`,
      typed,
    )
  }
})
