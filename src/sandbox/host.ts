/** What a launch needs to know about the machine and about Cordon itself. Read once, when the sandbox room opens. */
import type { CgroupParent } from './launch/cgroup.ts'
import type { PrivatePlaces } from './plan/private-places.ts'
import type { StopTimings } from './process/sandboxed-process.ts'
import type { User } from './launch/unprivileged-user.ts'
import type { Warden } from './process/warden.ts'

export interface Host extends PrivatePlaces {
  /** The Node that servers run on. */
  readonly nodePath: string
  /** The user of sandboxed processes; undefined: the user who runs Cordon, who is not root then. */
  readonly user: User | undefined
  readonly cgroups: CgroupParent | undefined
  readonly timings: StopTimings
  readonly warden: Warden
  readonly extraAuthorities: string | undefined
}
