/** Changes a vault without pause until the process is killed, and reports each change before and after it. */
import { OWNER } from '../../src/kernel/principal.ts'
import { say } from '../fixtures/doomed-child.ts'
import { openRealVault } from './real-vault.ts'

const [folder = '', guess] = process.argv.slice(2)
const vault = await openRealVault(folder)
if (guess !== undefined) await vault.unlock(guess)

for (let step = 0; ; step += 1) {
  if (step % 4 === 3) await vault.rotate()
  const name = `secret-${step % 5}`
  const value = `value-${process.pid}-${step}`
  say(`begin ${name} ${value}`)
  await vault.set(OWNER.id, name, Buffer.from(value))
  say(`done ${name} ${value}`)
}
