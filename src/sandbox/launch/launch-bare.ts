/**
 * Starts a server without a sandbox, after its owner agreed to that for this very server. The server can read every
 * file of Cordon's user and reach every host that this machine reaches. Only an exact environment, resource limits and
 * one process group to end it by remain.
 */
import path from 'node:path'
import type { LaunchSpec, SandboxedProcess } from '../../kernel/sandbox-port.ts'
import { openHolder } from './cgroup.ts'
import { heapLimit } from '../plan/inside-environment.ts'
import { findProgram } from '../plan/find-program.ts'
import type { Host } from '../host.ts'
import { findTools } from './host-tools.ts'
import { resourceLimits } from '../plan/limits.ts'
import { SHEET_DESCRIPTOR, startParked } from './parked-start.ts'
import { groupTree } from '../process/process-tree.ts'
import { SYSTEM_FOLDERS } from './run-command.ts'
import { startFailed } from '../sandbox-errors.ts'
import { released, wordFor } from './make-ready.ts'
import { sandboxedProcess } from '../process/sandboxed-process.ts'
import { START_PROGRAM, startArguments, writeSheets } from './start-program.ts'

export async function dangerouslyLaunchBare(
  host: Host,
  spec: LaunchSpec,
  signal: AbortSignal,
): Promise<SandboxedProcess> {
  const { memoryLimitBytes } = spec.settings
  const program = findProgram(spec, host.nodePath, host)
  const command = [program.path, ...spec.args]
  const start = { command, environment: bareEnvironment(host, spec), walls: [], filters: [] }
  const sheets = writeSheets(start, (layer) => resourceLimits(memoryLimitBytes, layer))
  const words = [findTools().perl, '-e', START_PROGRAM, ...startArguments(SHEET_DESCRIPTOR, [])]
  const options = { words, identity: undefined, places: [], feeds: [], warden: host.warden }
  const starting = startParked(options, signal)
  const word = wordFor(spec, signal)
  const parked = await starting.catch((cause: unknown) => {
    throw signal.aborted ? signal.reason : startFailed(spec.server, cause)
  })
  const pid = parked.child.pid ?? 0
  const holder = openHolder(host.cgroups, memoryLimitBytes)
  const { cgroup, memoryLayer } = await holder.hold([pid])
  const tree = groupTree(parked.child, pid)
  const { timings } = host
  const process = sandboxedProcess(parked, { tree, memoryLayer, memoryLimitBytes, cgroup, timings })
  await released({ parked, process }, sheets(memoryLayer), word)
  return process
}

function bareEnvironment(host: Host, spec: LaunchSpec): Readonly<Record<string, string>> {
  return {
    PATH: [path.dirname(host.nodePath), ...SYSTEM_FOLDERS].join(':'),
    HOME: host.userHome,
    ...spec.environment,
    ...heapLimit(spec),
  }
}
