/** Measures all suites in all variants, two at a time, each in a thread of its own. */
import { deriveManifest } from './field-manifest.ts'
import { inThreads } from './in-threads.ts'
import type { Measured } from './measure-flows.ts'
import type { Suite } from './suite.ts'
import { type Variant, VARIANTS } from './variants.ts'
import { createWorld, type Setting, SETTINGS } from './world.ts'

export interface Job {
  readonly folder: string
  readonly suite: string
  readonly variant: Variant
  readonly setting: Setting
  readonly sparse: number
}

export interface FoundSuite {
  readonly folder: string
  readonly suite: Suite
}

/** Of the pairs of task and attack a quick run takes every so many. */
const SPARSE = 12
const WORKER = new URL('measure-worker.ts', import.meta.url)

export async function measureAll(
  suites: readonly FoundSuite[],
  isQuick: boolean,
): Promise<readonly Measured[]> {
  const sparse = isQuick ? SPARSE : 1
  const variants = isQuick ? (['one server', 'by app, echo'] as const) : VARIANTS
  const wanted = suites.flatMap((found) =>
    variants.flatMap((variant) =>
      settingsFor(variant).map((setting) => ({ found, variant, setting })),
    ),
  )
  const jobs = wanted
    .filter(({ found, setting }) => !isAsBefore(found.suite, setting))
    .map(({ found, variant, setting }): Job => {
      return { folder: found.folder, suite: found.suite.suite, variant, setting, sparse }
    })
  const done = await inThreads<Job, Measured>(WORKER, jobs, sizeOf)
  return wanted.map(({ found, variant, setting }): Measured => {
    const before = SETTINGS.slice(0, SETTINGS.indexOf(setting) + 1)
    const same = done.findLast(
      (one) =>
        one.suite === found.suite.suite &&
        one.variant === variant &&
        before.some(({ name }) => name === one.setting),
    )
    if (!same) throw new TypeError('Every suite is measured at least once')
    return { ...same, setting: setting.name }
  })
}

/** Servers that do not trust each other are measured as they are shipped. */
function settingsFor(variant: Variant): readonly Setting[] {
  return variant === 'one server' ? SETTINGS : SETTINGS.slice(0, 1)
}

/** Whether the setting gives the tools of this suite nothing that the one before it did not give. */
export function isAsBefore(suite: Suite, setting: Setting): boolean {
  const before = SETTINGS[SETTINGS.indexOf(setting) - 1]
  if (!before) return false
  const [a, b] = [before, setting].map((one) => {
    const world = createWorld(suite, deriveManifest(suite), one)
    const directories = [...(world.manifest.directories ?? [])]
    return JSON.stringify([directories, suite.tools.map(({ name }) => world.grants(name))])
  })
  return a === b
}

function sizeOf({ suite }: Job): number {
  return suite === 'workspace' ? 1 : 0
}
