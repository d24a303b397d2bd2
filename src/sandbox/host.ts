/** The facts about the machine and about Cordon that every launch needs. Read once, when the sandbox room opens. */
import type { CgroupParent } from './cgroup.ts'
import type { PrivatePlaces } from './private-places.ts'
import type { StopTimings } from './sandboxed-process.ts'
import type { User } from './unprivileged-user.ts'
import type { Warden } from './warden.ts'

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
