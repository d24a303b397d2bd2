/**
 * The sandbox room: the only one that starts processes. A server runs in bubblewrap, or without a sandbox if its owner
 * agreed to that, or not at all.
 */
import { existsSync, realpathSync } from 'node:fs'
import type { LaunchSpec, Sandbox, SandboxedProcess } from '../kernel/sandbox-port.ts'
import type { PinPath } from '../ports/pinned-path-port.ts'
import { findCgroupParent, sweepCgroups } from './launch/cgroup.ts'
import { sandboxChecks } from './sandbox-checks.ts'
import type { Host } from './host.ts'
import { dangerouslyLaunchBare } from './launch/launch-bare.ts'
import { launchBubblewrap } from './launch/launch-bubblewrap.ts'
import { noConsent, noContainer } from './sandbox-errors.ts'
import type { StopTimings } from './process/sandboxed-process.ts'
import { takeOwnGroup } from './launch/own-group.ts'
import { createServerUsers } from './launch/server-users.ts'
import { createWarden } from './process/warden.ts'

export interface SandboxOptions {
  /** The Node that servers run on: the one Cordon brought along. */
  readonly nodePath: string
  /** Hidden from every server, except for the installed packages in it. */
  readonly cordonHome: string
  readonly userHome: string
  /** Certificate authorities that this machine trusts besides the usual ones (PEM); servers on Node trust them too. */
  readonly extraAuthorities?: string | undefined
  readonly timings?: StopTimings
  readonly pinPath: PinPath
  /** The folders that any server may write, running or not; a link in one of them is not followed to a source. */
  readonly writableFolders?: () => readonly string[]
}

const TIMINGS: StopTimings = { politeMs: 5_000, firmMs: 3_000 }

/** Disposing the room stops every process that still runs. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox & AsyncDisposable> {
  await takeOwnGroup()
  const cgroups = findCgroupParent()
  if (cgroups) sweepCgroups(cgroups)
  const written = new Set<string>()
  const host: Host = {
    nodePath: realpathSync(options.nodePath),
    cordonHome: realpathOr(options.cordonHome),
    userHome: realpathOr(options.userHome),
    users: process.getuid?.() === 0 ? createServerUsers() : undefined,
    extraAuthorities: existing(options.extraAuthorities),
    cgroups,
    timings: options.timings ?? TIMINGS,
    warden: createWarden(),
    pinPath: options.pinPath,
    writableFolders: () => [...written, ...(options.writableFolders?.() ?? [])].map(realpathOr),
  }
  const running = new Set<SandboxedProcess>()
  return {
    async launch(spec, signal) {
      for (const folder of spec.settings.writePaths) written.add(folder)
      const started = await launcherFor(spec)(host, spec, signal)
      running.add(started)
      void started.ended.then(() => running.delete(started))
      return started
    },
    checks: sandboxChecks,
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((one) => one.stop()))
      host.warden[Symbol.dispose]()
    },
  }
}

function launcherFor(spec: LaunchSpec): typeof launchBubblewrap {
  const { mode, image } = spec.settings
  if (image) return launchBubblewrap // in every mode: the program is in the image, not on this machine
  if (mode === 'bwrap') return launchBubblewrap
  if (mode === 'container') throw noContainer(spec.server)
  if (spec.dangerouslyUnsandboxed !== true) throw noConsent(spec.server)
  return dangerouslyLaunchBare
}

function existing(file: string | undefined): string | undefined {
  return file !== undefined && existsSync(file) ? realpathSync(file) : undefined
}

/** A folder that does not exist yet has no links to resolve: its path is kept. */
function realpathOr(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
