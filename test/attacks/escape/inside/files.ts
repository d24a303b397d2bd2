/** Attempts on files: files of the host, /proc, write access, inherited descriptors. */
import { execFileSync } from 'node:child_process'
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { type Attempts, forEach, Stopped } from './probe.ts'

const MB = 2 ** 20
const OWN_HOME = 'mcp'

function openForWriting(file: string): string {
  closeSync(openSync(file, constants.O_WRONLY))
  return `${file} opened for writing`
}

function listHomes(folder: string): string {
  const names = readdirSync(folder)
  if (names.length === 1 && names[0] === OWN_HOME) throw new Stopped('only its own home')
  if (names.length === 0) throw new Stopped('an empty folder')
  return names.join(' ')
}

function write(file: string): string {
  writeFileSync(file, 'x')
  unlinkSync(file)
  return `${file} written`
}

/** Pids of every visible process whose `/proc/<pid>/<file>` holds the needle. */
function processesWith(file: 'environ' | 'cmdline', needle: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(needle)
      } catch {
        return false
      }
    })
}

/** `known` is in this process's own file; if even that is not found, the search itself is broken and proves nothing. */
function search(file: 'environ' | 'cmdline', needle: string, known: string): string {
  const own = String(process.pid)
  if (!processesWith(file, known).includes(own)) throw new Error(`cannot search ${file}`)
  const others = processesWith(file, needle).filter((pid) => pid !== own)
  if (others.length === 0) throw new Stopped('found in no other process')
  return `found in /proc/${others[0]}/${file}`
}

function inOwnEnvironment(secret: string): string {
  const values = Object.values(process.env)
  if (!values.includes(process.env['TOKEN'])) throw new Error('no environment at all')
  if (values.includes(secret)) return 'in its own environment'
  throw new Stopped('not in its own')
}

function inheritedDescriptors(leakedFile: string): string {
  const open = readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      return [] // the descriptor of the listing itself, closed by now
    }
  })
  if (open.includes(leakedFile)) return leakedFile
  const child = execFileSync('/bin/ls', ['/proc/self/fd'], { encoding: 'utf8' })
  throw new Stopped(`a child has ${child.trim().split('\n').join(' ')}`)
}

function fill(folder: string): string {
  const block = Buffer.alloc(4 * MB, 1)
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, 'filled')
  const handle = openSync(file, 'w')
  try {
    for (let written = 0; written < 96 * MB; written += block.length) writeSync(handle, block)
  } finally {
    closeSync(handle)
    unlinkSync(file)
  }
  return `96 MB in ${folder}`
}

export const FILES: Attempts = {
  1: (aim) => ({ 'a private key': () => readFileSync(aim.keyFile, 'utf8') }),
  2: () => ({ '/etc/shadow': () => readFileSync('/etc/shadow', 'utf8') }),
  3: (aim) => ({
    ...forEach(['/root', '/home'], listHomes),
    'a folder of homes': () => listHomes(aim.homes),
  }),
  4: (aim) => ({
    ...forEach(['/usr/share/x', '/etc/x', '/x', '/dev/x'], write),
    'its package': () => write(`${aim.packageFolder}/x`),
  }),
  5: (aim) => ({
    'its own environment': () => inOwnEnvironment(aim.hostSecret),
    'another process': () => search('environ', aim.hostSecret, process.env['TOKEN'] ?? '-'),
  }),
  6: (aim) => ({
    'its secret': () => search('cmdline', process.env['TOKEN'] ?? '-', aim.packageFolder),
    'a path of the host': () => search('cmdline', aim.packageFolder, aim.packageFolder),
  }),
  8: () => ({ core_pattern: () => openForWriting('/proc/sys/kernel/core_pattern') }),
  9: () => ({
    'sysrq-trigger': () => openForWriting('/proc/sysrq-trigger'),
    '/sys': () => readdirSync('/sys').join(' '),
  }),
  11: (aim) => ({ 'the file left open': () => inheritedDescriptors(aim.leakedFile) }),
  12: () => ({
    ...forEach(['/tmp', '/dev/shm', '/run'], fill),
    'its home': () => fill(process.env['HOME'] ?? '/nowhere'),
  }),
}
