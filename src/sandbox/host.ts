/** Facts about the machine and Cordon itself that every launch needs. Read once, when the sandbox room opens. */
import type { CgroupParent } from './launch/cgroup.ts'
import type { DeclaredPlaces } from './plan/declared-mounts.ts'
import type { StopTimings } from './process/sandboxed-process.ts'
import type { ServerUsers } from './launch/server-users.ts'
import type { Warden } from './process/warden.ts'

export interface Host extends DeclaredPlaces {
  /** The Node that servers run on. */
  readonly nodePath: string
  /** Users that sandboxed processes run as when Cordon is root; undefined: Cordon's own user, who is not root. */
  readonly users: ServerUsers | undefined
  readonly cgroups: CgroupParent | undefined
  readonly timings: StopTimings
  readonly warden: Warden
  readonly extraAuthorities: string | undefined
}
