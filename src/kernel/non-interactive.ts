/** Approvals for non-interactive callers: a call that would need a question is refused at once. */
import type { Approvals } from './ports.ts'

export function nonInteractive(approvals: Approvals): Approvals {
  return {
    ask: ({ verdict }) =>
      Promise.resolve({
        kind: 'refused',
        rule: 'approval.needed',
        reason: `${verdict.reason}; it needs your approval`,
      }),
    askTogether: () => Promise.resolve(),
    useGrant: (id) => approvals.useGrant(id),
    usePlan: async (use) => (await approvals.usePlan?.(use)) ?? false,
  }
}
