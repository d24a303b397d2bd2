/**
 * Compares the place where a package was built, as its provenance statement says it, with the place that the certificate
 * of its signature names. The statement is written by the build; the certificate, by the authority that saw where the build ran. Pure.
 */
import { z } from 'zod'
import { Unfit } from '../install/unfit.ts'
import type { Provenance } from './proof-job.ts'

/** Claims of the certificate, as Fulcio writes them: https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md */
export interface Certified {
  /** The repository from which it was built. */
  readonly source?: string
  /** The workflow that began the build, with its reference. Certificates before 2023 have none. */
  readonly build?: string
  /** The workflow that asked for the certificate: of another repository, if that one was called by the first. */
  readonly called: string
}

interface Said {
  readonly repository: string
  readonly path?: string | undefined
}

/** Throws `Unfit` with the reason. */
export function comparePlaces(
  predicate: unknown,
  { source, build, called }: Certified,
): Provenance {
  if (source === undefined || source === '') {
    throw new Unfit('the certificate of its provenance statement names no repository')
  }
  const said = placeIn(predicate)
  if (!said) {
    throw new Unfit('its provenance statement does not say in a known form where it was built')
  }
  if (said.repository !== source) {
    throw new Unfit('its provenance statement names another repository than its certificate')
  }
  const { repository, path } = said
  if (path === undefined) return { repository }
  const isCertified = (build ?? called).startsWith(`${repository}/${path}@`)
  if (build !== undefined && !isCertified) {
    throw new Unfit('its provenance statement names another workflow than its certificate')
  }
  return isCertified ? { repository, workflow: path } : { repository }
}

const Newer = z.object({
  buildDefinition: z.object({
    externalParameters: z.object({
      workflow: z.object({ repository: z.string(), path: z.string().optional() }),
    }),
  }),
})
/** SLSA 0.2: of GitLab, and of GitHub until 2023. */
const Older = z.object({
  invocation: z.object({
    configSource: z.object({ uri: z.string(), entryPoint: z.string().optional() }),
  }),
})
const SOURCE = /^git\+(https:\/\/[^@]+)(?:@.*)?$/

function placeIn(predicate: unknown): Said | undefined {
  const newer = Newer.safeParse(predicate).data
  if (newer) return newer.buildDefinition.externalParameters.workflow
  const older = Older.safeParse(predicate).data?.invocation.configSource
  if (!older) return undefined
  const { uri, entryPoint: path = '' } = older
  const repository = SOURCE.exec(uri)?.[1]
  if (repository === undefined) return undefined
  // For GitLab it is the name of a job, which no certificate names.
  return path.startsWith('.github/') ? { repository, path } : { repository }
}
