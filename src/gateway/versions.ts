/** The versions of the protocol that the gateway speaks, and the era of each. */

/** `initialize` opens a session. Newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
/** Every request stands alone, and says which version it is of. */
export const MODERN_VERSIONS = ['2026-07-28'] as const

export const VERSIONS: readonly string[] = [...MODERN_VERSIONS, ...LEGACY_VERSIONS]

export type Era = 'legacy' | 'modern'

/** Undefined for a version that is not spoken. */
export function eraOf(version: string): Era | undefined {
  if (MODERN_VERSIONS.some((one) => one === version)) return 'modern'
  return LEGACY_VERSIONS.some((one) => one === version) ? 'legacy' : undefined
}

/** The version of a session: the one that the client asks for, or the newest that a session can have. */
export function negotiate(asked: unknown): string {
  return LEGACY_VERSIONS.find((one) => one === asked) ?? LEGACY_VERSIONS[0]
}
