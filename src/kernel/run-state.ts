/** The states of a run of a flow. */
export const RUN_STATES = ['running', 'asking', 'completed', 'failed', 'cancelled'] as const
/** `asking`: the run waits for the owner and holds no resources meanwhile. */
export type RunState = (typeof RUN_STATES)[number]
