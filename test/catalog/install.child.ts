/** Installs one package of the stand-in registry, until somebody kills it. */
import { egressTo, openPackageHouse, STAND_IN } from './package-house.ts'

const [, , home = '', port] = process.argv
const house = await openPackageHouse(egressTo(Number(port)), { ...STAND_IN, home })
const launch = { kind: 'npm', package: 'many', version: '1.0.0', args: [] } as const
await house.packages.install('it', launch, () => undefined, AbortSignal.timeout(60_000))
await house[Symbol.asyncDispose]()
