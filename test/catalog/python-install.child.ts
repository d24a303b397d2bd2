/** Installs one Python package of the stand-in index, and prints each step, so that a test can kill this process half-way. */
import { never } from '../../src/kernel/test-never.ts'
import { PIP_SETTINGS } from '../fixtures/python-index.ts'
import { egressTo, openPackageHouse } from './package-house.ts'

const [, , home = '', port] = process.argv
const house = await openPackageHouse(egressTo(Number(port)), { environment: PIP_SETTINGS, home })
const launch = { kind: 'pypi', package: 'many-parts', version: '1.0', args: [] } as const
const say = (step: string): void => void process.stdout.write(`${step}\n`)
await house.packages.install('it', launch, say, never)
say('Installed')
await house[Symbol.asyncDispose]()
