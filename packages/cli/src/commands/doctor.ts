import { type Command, defineCommand } from '../command.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { option } from '../options.ts'
import type { Style } from '../output.ts'

const marks: Readonly<Record<string, readonly [mark: string, style: Style]>> = {
  ok: ['ok', 'green'],
  warning: ['warning', 'yellow'],
  failed: ['failed', 'red'],
  skipped: ['skipped', 'dim'],
}

const doctor = defineCommand({
  name: 'doctor',
  summary: 'find out what is wrong on the way to the service and with it',
  description:
    'Checks the address, TLS, the clocks, the credential, the gateways and the age of what they answer from, logins, streams through proxies (which takes up to 20 s), the chains of the logs, and forgotten tokens. Each line says what to do. It changes nothing. Warnings do not change the exit code.',
  options: { quick: option.flag('--quick', 'without the streams and the chains') },
  examples: [
    { line: 'svc doctor', text: 'all checks' },
    { line: 'svc doctor --quick', text: 'those that take no time' },
  ],
  async run(context, { quick }) {
    const { output, progress } = context
    const { findAll } = await import('../doctor/finding.ts')
    const { address, tls } = await import('../doctor/reach.ts')
    const { credential, methods, tokens } = await import('../doctor/access.ts')
    const { chains, gateways, streams } = await import('../doctor/health.ts')
    const rest = [credential, gateways, methods, tokens, ...(quick ? [] : [chains, streams])]
    const { unavailable, notAllowed } = exitCodes
    let exitCode: ExitCode | undefined
    for (const check of [tls, address, ...rest]) {
      const found = await progress.show(check.name, (update) => findAll(check, context, update))
      for (const finding of found) {
        const [mark, style] = marks[finding.state] ?? ['', 'dim']
        const first = `${output.style(style, mark.padEnd(7))}  ${finding.check}: ${finding.text}`
        const todo = finding.todo === undefined ? '' : `\n         → ${finding.todo}`
        output.row(finding, () => first + todo)
        exitCode ??= finding.exitCode
      }
      // Without a way to the service, or without a credential, the rest would fail for that reason.
      const ends = found.some(({ exitCode: code }) => code === unavailable || code === notAllowed)
      if (ends) break
    }
    return exitCode ?? exitCodes.done
  },
})

export const commands: readonly Command[] = [doctor]
