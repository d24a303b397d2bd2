/**
 * Offers the `cordon` command as a link in `~/.local/bin`: asked once, in a terminal, and never made without a yes. Does
 * nothing where the command is there already, and never replaces a file.
 */
'use strict'
const { existsSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } = require('node:fs')
const { homedir } = require('node:os')
const path = require('node:path')

async function offerLink({ root, home, folders, say, ask }) {
  const link = path.join(homedir(), '.local', 'bin', 'cordon')
  const asked = path.join(home, 'link-asked')
  const isThere = folders.some((folder) => existsSync(path.join(folder, 'cordon')))
  if (isThere || isLink(link) || existsSync(asked)) return
  const answer = await ask('Make the `cordon` command, as a link in ~/.local/bin? (y/N) ')
  if (answer === undefined) return // left without an answer, so the question stays open
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(asked, '', { mode: 0o600 })
  const command = path.join(root, 'bin', 'cordon.cjs')
  if (!/^y(?:es)?$/i.test(answer.trim())) {
    say(`No link was made. Type \`node ${command}\`, or make it later: ln -s ${command} ${link}`)
    return
  }
  try {
    mkdirSync(path.dirname(link), { recursive: true })
    symlinkSync(command, link)
  } catch (error) {
    say(`warning: the link could not be made (${error.code}): ln -s ${command} ${link}`)
    return
  }
  const isOnPath = folders.includes(path.dirname(link))
  say(
    isOnPath
      ? 'Made. `cordon` works in every terminal.'
      : 'Made. ~/.local/bin is not on your PATH yet: add it, or log in again where your system does so by itself.',
  )
}

function isLink(file) {
  try {
    readlinkSync(file)
    return true
  } catch {
    return existsSync(file)
  }
}

/** The typed line; undefined if the person presses Ctrl-C or Ctrl-D, which leaves the question for the next start. */
function askHere(question) {
  const { createInterface } = require('node:readline')
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    lines.question(question, (answer) => {
      resolve(answer)
      lines.close()
    })
    lines.on('close', () => resolve(undefined))
  })
}

/** For `npm start`: asks the person at the terminal, if there is one. */
async function offerLinkHere({ root, say }) {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return
  const home = process.env.CORDON_HOME || path.join(homedir(), '.cordon')
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter(Boolean)
  // npm puts the programs of this very project on the PATH of its scripts.
  const own = folders.filter((folder) => !folder.startsWith(path.join(root, 'node_modules')))
  await offerLink({ root, home, folders: own, say, ask: askHere })
}

module.exports = { offerLinkHere }
