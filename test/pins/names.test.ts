/**
 * Freezes the names that others rely on: error codes, audit kinds and routes of the API.
 * A change here is a change for every script, every saved record and the page.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url)
const notShipped = ['**/*.test.ts', '**/fake-*.ts', '**/test-*.ts']
const sources = globSync('src/**/*.ts', { cwd: root, exclude: notShipped })
const NAME =
  /'((?:audit|call|chat|cli|home|kernel|main|mcp|page|servers|store|vault|web)\.(?!js)[a-z-]+)'/g

const FROZEN = `
audit.closed
audit.damaged
audit.open-failed
audit.read
audit.recovered
audit.reseal
audit.resealed
audit.search
audit.sound
audit.sync-failed
audit.verify
audit.write-failed
call.begin
call.end
chat.send
cli.bug
cli.cancelled
cli.export
cli.kernel-gone
cli.needs-yes
cli.no-input
cli.not-running
cli.number
cli.passphrase-differs
cli.too-long
cli.vault-closed
home.full
home.lock
home.locked
home.read-only
home.untrusted
kernel.bug
kernel.input
kernel.no-server
kernel.principal
kernel.secret-ref
kernel.server-id
kernel.start
kernel.stop
main.no-kernel
main.no-page
main.port
mcp.list
mcp.migrate
mcp.show
mcp.trust
mcp.undo
mcp.untrust
page.link
servers.backup-size
servers.hand-edit
servers.import
servers.import-format
servers.import-json
servers.import-read
servers.no-import
servers.no-project
servers.toml-edit
servers.trust
servers.undo
servers.untrust
servers.vault-needed
store.busy
store.certificate
store.damaged
store.denied
store.disk
store.foreign
store.full
store.newer
store.no-database
store.read-only
store.unreachable
store.url
vault.absent
vault.damaged
vault.exists
vault.expired
vault.file
vault.header
vault.init
vault.kdf
vault.key
vault.key-file
vault.keychain
vault.lend
vault.list
vault.lock
vault.locked
vault.missing
vault.name
vault.no-passphrase
vault.passphrase
vault.passphrase-missing
vault.refused
vault.remove
vault.rotate
vault.set
vault.status
vault.unlock
vault.value
vault.wait
vault.weak-passphrase
web.csrf
web.enter
web.fetch-site
web.host
web.leave
web.link
web.origin
web.port
web.refused
web.socket
web.socket-path
`

test('no error code, audit kind or route appears, disappears or changes unnoticed', () => {
  const found = sources.flatMap((file) =>
    [...readFileSync(new URL(file, root), 'utf8').matchAll(NAME)].map((match) => match[1] ?? ''),
  )
  assert.deepEqual([...new Set(found)].sort(), FROZEN.trim().split('\n'))
})
