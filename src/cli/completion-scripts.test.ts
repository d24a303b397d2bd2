/** Completion in real shells, where `cordon` is a function that records its arguments and prints a prepared answer. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { COMPLETION_SCRIPTS, type Shell } from './completion-scripts.ts'

const run = promisify(execFile)

const POSIX_CORDON = `cordon() { printf '%s\\n' "$@" > asked; cat answer; }`
/** Arguments for each shell to print its candidates for the words after `cordon`. */
const SCENES: Readonly<Record<Shell, (words: readonly string[]) => readonly string[]>> = {
  bash: (words) => [
    '--norc',
    '-c',
    `${COMPLETION_SCRIPTS.bash}
    ${POSIX_CORDON}
    compopt() { :; }
    COMP_WORDS=(cordon "$@"); COMP_CWORD=$#
    _cordon
    printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    ...words,
  ],
  zsh: (words) => [
    '-f',
    '-c',
    `compdef() { : }
    _describe() { print -rl -- "\${(@)\${(P@)2}%%:*}" }
    ${COMPLETION_SCRIPTS.zsh}
    ${POSIX_CORDON}
    words=(cordon "\${(@q)@}"); CURRENT=$#words
    _cordon`,
    'zsh',
    ...words,
  ],
  fish: (words) => [
    '--no-config',
    '-c',
    `function cordon; printf '%s\\n' $argv > asked; cat answer; end
    ${COMPLETION_SCRIPTS.fish}
    complete -C $argv[1]`,
    ['cordon', ...words.map((word) => (/^[\w-]*$/.test(word) ? word : `'${word}'`))].join(' '),
  ],
}

async function offered(shell: Shell, words: readonly string[], lines: readonly string[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-tab-'))
  try {
    await writeFile(path.join(folder, 'answer'), lines.map((line) => `${line}\n`).join(''))
    const env = { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8' }
    const { stdout } = await run(shell, SCENES[shell](words), { cwd: folder, env })
    const asked = readFileSync(path.join(folder, 'asked'), 'utf8').split('\n').slice(0, -1)
    const reply = stdout.split('\n').map((line) => line.split('\t')[0] ?? '')
    return {
      asked,
      reply: reply.filter((word) => word !== ''),
      isOwned: existsSync(path.join(folder, 'owned')),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  test(`${shell}: what is offered is what fits the word that is being typed`, async () => {
    const answer = ['set\tstore', 'status\tlook', ':4']
    const { asked, reply } = await offered(shell, ['vault', 's'], answer)
    assert.deepEqual(asked, ['complete', '--', 'vault', 's'])
    assert.deepEqual(reply, ['set', 'status'])
  })

  test(`${shell}: pressing the key evaluates neither what a server calls its tools nor what is typed`, async () => {
    const evil = ['mcp-evil-$(touch owned)\t', 'mcp-evil-`touch owned`\t', ':4']
    const named = await offered(shell, ['run', 'mcp-evil-'], evil)
    assert.equal(named.isOwned, false)
    assert.equal(named.reply.length, 2)
    const words = ['run', 'llm', '$(touch owned)', '>', 'owned', ';', '(touch owned)', '']
    const typed = await offered(shell, words, ['then\t', ':4'])
    assert.equal(typed.isOwned, false)
    assert.deepEqual(typed.asked.slice(0, 4), ['complete', '--', 'run', 'llm'])
  })
}

test('bash: a word that bash would evaluate is offered with its quotes', async () => {
  const { reply } = await offered('bash', ['run', 'a'], ['a$(b)\t', ':4'])
  assert.deepEqual(reply, [String.raw`a\$\(b\)`])
})
