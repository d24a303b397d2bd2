/** Installs one package of the stand-in registry, so that a test can kill this process half-way. */
import { egressTo, openPackageHouse, STAND_IN } from './package-house.ts'

const [, , home = '', port] = process.argv
const house = await openPackageHouse(egressTo(Number(port)), { ...STAND_IN, home })
const launch = { kind: 'npm', package: 'many', version: '1.0.0', args: [] } as const
await house.packages.install('it', launch, () => undefined, AbortSignal.timeout(60_000))
await house[Symbol.asyncDispose]()
