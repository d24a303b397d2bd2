/** `doctor`: checks this machine, and tells how to fix each failure. Works even if no kernel can start. */
import type { Command } from 'commander'
import type { DoctorCheck } from '../../text/doctor-check.ts'
import { type Context, outputOf } from '../context.ts'
import { columns, type Output } from '../output.ts'

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const

export function addDoctorCommand(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('check what this machine offers, with the remedy for what it lacks')
    .addHelpText('after', '\nExample:\n  $ cordon doctor')
    .action(async (_options: object, command: Command) => {
      const checks = await context.surface.doctor(context.signal)
      const output = outputOf(context, command)
      output.answer({ checks }, () => describe(checks, output))
      if (checks.some((check) => check.verdict === 'fail')) context.endWith(5)
    })
}

function describe(checks: readonly DoctorCheck[], output: Output): readonly string[] {
  const rows = checks.map((check) => [
    output.paint(COLOURS[check.verdict], check.verdict),
    check.name,
    check.finding,
  ])
  const lines = columns(rows)
  return checks.flatMap((check, row) => {
    const line = lines[row] ?? ''
    return check.remedy ? [line, `      → ${check.remedy}`] : [line]
  })
}
