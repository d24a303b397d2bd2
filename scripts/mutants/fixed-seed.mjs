/** Loaded before the tests of a mutation run: random properties draw the same values for every mutant. */
import fc from 'fast-check'

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 42 })
