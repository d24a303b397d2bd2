/** Runs as root of namespaces made for the test: a resolver that knows only names of the search list. */
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createVet } from '../../../src/egress/reach/vetted-addresses.ts'
import { raiseAddresses } from '../escape/stand-in.ts'

const [folder = ''] = process.argv.slice(2)
const FILES = {
  '/etc/resolv.conf':
    'nameserver 127.0.0.1\nsearch corp.example.org\noptions timeout:5 attempts:1\n',
  '/etc/hosts': '127.0.0.1 localhost\n93.184.216.35 box.example.net box # a comment\n',
}
raiseAddresses()
for (const [file, text] of Object.entries(FILES)) {
  const cover = path.join(folder, path.basename(file))
  writeFileSync(cover, text)
  execFileSync('mount', ['--bind', cover, realpathSync(file)])
}
const asked = new Set<string>()
const resolver = createSocket('udp4')
resolver.on('message', (question, from) => {
  const name = nameIn(question)
  asked.add(name)
  resolver.send(answerTo(question, name), from.port, from.address)
})
await new Promise<void>((resolve) => resolver.bind(53, '127.0.0.1', resolve))

const vet = createVet({ now: Date.now, timeoutMs: 60_000 })
const signal = new AbortController().signal
const vetted = await vet('nothing.example.net', signal)
const heard = [...asked]
const naive = await lookup('nothing.example.net', 4)
const hosts = await vet('box.example.net', signal)
process.stdout.write(
  JSON.stringify({
    vetted: vetted.kind,
    asked: heard,
    naive: naive.address,
    hosts: hosts.kind === 'vetted' ? hosts.addresses : hosts.kind,
  }),
)
resolver.close()

function nameIn(question: Buffer): string {
  const labels: string[] = []
  for (let at = 12; question[at]; at += (question[at] ?? 0) + 1) {
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] ?? 0)))
  }
  return labels.join('.')
}

/** An address for a name of the search list, "no such name" for any other. */
function answerTo(question: Buffer, name: string): Buffer {
  const end = question.indexOf(0, 12) + 5
  const isKnown = name.endsWith('corp.example.org')
  const isAddress = question.readUInt16BE(end - 4) === 1
  const head = Buffer.alloc(12)
  question.copy(head, 0, 0, 2)
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(isKnown && isAddress ? 1 : 0, 6)
  const record = Buffer.from('c00c000100010000003c00045db8d822', 'hex')
  return Buffer.concat([
    head,
    question.subarray(12, end),
    ...(isKnown && isAddress ? [record] : []),
  ])
}
