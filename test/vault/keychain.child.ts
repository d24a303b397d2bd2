/** Uses the real keychain of the session in which this process runs, and prints one line of JSON. */
import { CordonError } from '../../src/kernel/error.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { never } from '../../src/kernel/test-never.ts'
import { createKeychain } from '../../src/vault/keychain.ts'
import { openRealVault } from './real-vault.ts'

const [task, folder = ''] = process.argv.slice(2)
await using vault = await openRealVault(folder)

const tasks: Readonly<Record<string, () => Promise<unknown>>> = {
  probe: async () => (await createKeychain().probe()) ?? 'ok',
  async init() {
    const status = await vault.init(undefined)
    await vault.set(OWNER.id, 'gitlab', Buffer.from('value-1'))
    return status.keySource
  },
  insist: async () => (await vault.init('keychain')).keySource,
  status: async () => await vault.status(),
  rotate: async () => await vault.rotate('correct horse'),
  async lend() {
    const refs = { it: { scheme: 'vault', name: 'gitlab' } as const }
    await using lease = await vault.lease(OWNER.id, refs, never)
    return lease.value('it').toString()
  },
}

const answer = await tasks[task ?? '']?.().catch((error: unknown) => {
  return error instanceof CordonError ? error.code : String(error)
})
process.stdout.write(`${JSON.stringify(answer)}\n`)
