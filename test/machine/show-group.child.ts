/** Prints what limits a Cordon that is started here: `KIND: LAYER, processor shared|not shared`. */
import { findCgroupParent } from '../../src/sandbox/launch/cgroup.ts'
import { takeOwnGroup } from '../../src/sandbox/launch/own-group.ts'

await takeOwnGroup()
const parent = findCgroupParent()
const processor = parent?.sharesProcessor === true ? 'shared' : 'not shared'
process.stdout.write(`${process.argv[2]}: ${parent?.layer ?? 'watchdog'}, processor ${processor}\n`)
