/** The sink of memory itself: rows of one principal in their own home, cleared for everything but secrets. */
import type { Sink } from '../labels/sink.ts'

export const OWN_STORE: Sink = { name: 'sink:memory', clearance: 'regulated' }
