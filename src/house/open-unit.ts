/** Builds the systemd unit of this home, with the vault's key as the start after a power cut finds it. Contains no rules. */
import { homedir, userInfo } from 'node:os'
import path from 'node:path'
import { createFiles } from '../home/files.ts'
import { homePaths } from '../home/home-paths.ts'
import { createUnit, type Unit } from '../home/unit/create-unit.ts'
import type { KeySource } from '../kernel/vault-status.ts'
import { runSystemd } from '../sandbox/unsandboxed/run-systemd.ts'
import { foregroundCommand } from '../sandbox/unsandboxed/start-kernel.ts'
import { createHeaderFile } from '../vault/header.ts'
import type { Settings } from './create-surface.ts'

export interface OpenUnit extends Unit {
  /** Undefined without a vault, or with one that cannot be read. */
  readonly vaultKey: KeySource | undefined
  readonly environmentFile: string
}

/** Settings of this shell that a service would not have. None of them is secret. */
const TAKEN = ['PATH', 'CORDON_HOME', 'CORDON_PORT', 'NODE_EXTRA_CA_CERTS']

export async function openUnit(settings: Settings): Promise<OpenUnit> {
  const { homePath, environment, entry } = settings
  const configFolder = environment['XDG_CONFIG_HOME'] || path.join(homedir(), '.config')
  const taken = TAKEN.flatMap((name) => {
    const value = environment[name]
    return value ? [[name, value] as const] : []
  })
  const environmentFile = path.join(homePath, 'service.env')
  const header = createHeaderFile(createFiles(), homePaths(homePath).vault, async () => false)
  const found = await header.read().catch(() => undefined)
  const unit = createUnit({
    run: (program, args) => runSystemd({ program, args, environment }),
    folder: path.join(configFolder, 'systemd', 'user'),
    user: userInfo().username,
    facts: {
      command: foregroundCommand(process.execPath, entry),
      environment: Object.fromEntries(taken),
      environmentFile,
    },
  })
  return { ...unit, vaultKey: found?.keySource, environmentFile }
}
