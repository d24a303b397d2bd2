/**
 * Freezes the kinds of audit records: a kind that was ever written to a log keeps its name. The type `AuditKind`
 * ensures that no event has a kind outside the list.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUDIT_KINDS } from '../../src/kernel/audit-kinds.ts'

const FROZEN = `
approval.answered
approval.asked
approval.expired
approval.refused
approval.spent
approval.used
approval.void
audit.recovered
audit.resealed
call.begin
call.end
catalog.installed
catalog.removed
catalog.tampered
channels.added
channels.paired
channels.removed
channels.unpaired
clients.moved
clients.restored
contact.added
contact.removed
egress.blocked
egress.failed
egress.tunnel
flows.answered
flows.cancelled
flows.ended
flows.scheduled
flows.started
flows.unscheduled
gateway.client-added
gateway.client-changed
gateway.client-removed
gateway.context-added
gateway.context-changed
gateway.context-removed
gateway.limited
gateway.refused
grant.given
grant.revoked
grant.used
home.backup
home.restored
kernel.start
kernel.stop
memory.forgotten
memory.kept
servers.add
servers.crash
servers.disabled
servers.edit
servers.forget-told
servers.hand-edit
servers.import
servers.manifest
servers.mark
servers.remove
servers.sandbox
servers.start
servers.stop
servers.trust
servers.undo
servers.unsandbox
servers.untrust
setup.asking
setup.cancelled
setup.client-registered
setup.connected
setup.connecting
setup.delete
setup.failed
setup.installing
setup.start
setup.storing
setup.token-caught
setup.token-refused
setup.token-renewed
setup.token-revoked
setup.token-stored
setup.verifying
vault.init
vault.lend
vault.lock
vault.refused
vault.remove
vault.rotate
vault.set
vault.set-aside
vault.unlock
web.enter
web.leave
web.refused
`

test('no kind of audit record appears, disappears or changes unnoticed', () => {
  assert.deepEqual(AUDIT_KINDS, FROZEN.trim().split('\n'))
})
