/** Commands that need no kernel: checking this machine, restoring a home. Their rooms are loaded when needed. */
import type { KernelClient } from '../api/client.ts'
import type { Surface } from '../cli/context.ts'
import type { Settings } from './create-surface.ts'

export function createMachineWork(
  settings: Settings,
  client: Pick<KernelClient, 'findKernel'>,
): Pick<Surface, 'doctor' | 'restore' | 'unit'> {
  const { homePath, environment } = settings
  return {
    async doctor(signal) {
      await using running = await client.findKernel().catch(() => undefined)
      const at = folderHere()
      if (running) return (await running.call('doctor', at, signal)).checks
      const { runDoctor } = await import('./run-doctor.ts')
      const { tryRegistryAlone } = await import('./try-registry-alone.ts')
      const packages = { tryRegistry: tryRegistryAlone(settings) }
      return await runDoctor({ homePath, packages, environment, ...at }, signal)
    },
    async unit() {
      const { openUnit } = await import('./open-unit.ts')
      return await openUnit(settings)
    },
    async restore(wish, signal) {
      const { restoreHere } = await import('./restore-here.ts')
      return await restoreHere(homePath, wish, signal)
    },
  }
}

/** Nothing if the folder was removed meanwhile: the machine is checked all the same. */
function folderHere(): { readonly folder?: string } {
  try {
    return { folder: process.cwd() }
  } catch {
    return {}
  }
}
