/** Tries the npm registry without a kernel, for `cordon doctor`: a sandbox and a proxy of its own, for a moment. */
import { mkdtemp, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { tryRegistry } from '../catalog/install/try-registry.ts'
import { createEgress } from '../egress/create-egress.ts'
import type { DoctorCheck } from '../text/doctor-check.ts'
import { OWNER } from '../kernel/principal.ts'
import { pinPath } from '../home/pin-path.ts'
import { openSandbox } from '../sandbox/open-sandbox.ts'
import { ownNpm } from './connect-rooms.ts'
import type { Settings } from './create-surface.ts'

/** No home, so no audit log and no log: the answer is the line of the doctor. */
const UNHEARD = { info: () => undefined, warn: () => undefined, error: () => undefined }
const UNRECORDED = { append: () => ({ seq: 0, hash: '' }) }

export function tryRegistryAlone({ homePath, environment, outside = {} }: Settings) {
  return async (signal: AbortSignal): Promise<DoctorCheck> => {
    await using stack = new AsyncDisposableStack()
    const folder = await mkdtemp(path.join(tmpdir(), 'cordon-doctor-'))
    stack.defer(() => rm(folder, { recursive: true, force: true }))
    const homeFolder = homedir()
    const places = { nodePath: process.execPath, cordonHome: homePath, userHome: homeFolder }
    const sandbox = stack.use(await openSandbox({ ...places, pinPath }))
    const egress = createEgress({ owner: OWNER.id, audit: UNRECORDED, log: UNHEARD, ...outside })
    const parts = { sandbox, egress, environment, homeFolder, npmPath: ownNpm() }
    return await tryRegistry(parts, folder, signal)
  }
}
