/** Preloaded into the kernel that is measured: collects garbage on SIGUSR2. V8 returns pages after several collections. */
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const COLLECTIONS = 12
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

async function collectOften() {
  for (let turn = 0; turn < COLLECTIONS; turn += 1) {
    await delay(100)
    collect()
  }
}

process.on('SIGUSR2', () => void collectOften())
