/** Installs one package of the stand-in index, so that a test can kill this process half-way. */
import { PIP_SETTINGS } from '../fixtures/python-index.ts'
import { egressTo, openPackageHouse } from './package-house.ts'

const [, , home = '', port] = process.argv
const house = await openPackageHouse(egressTo(Number(port)), { environment: PIP_SETTINGS, home })
const launch = { kind: 'pypi', package: 'many', version: '1.0', args: [] } as const
await house.packages.install('it', launch, () => undefined, AbortSignal.timeout(60_000))
await house[Symbol.asyncDispose]()
