import { redactUrl, Secret } from '@svc/runtime'
import { z } from 'zod'
import { mustBe, text } from './values.ts'

/** @param variable what documents show: `${CLIENT_SECRET}` */
export function secretText(minLength: number, maxLength: number, variable: string) {
  return z
    .string({ error: ({ input }) => mustBe('text', input) })
    .transform((value, context) => {
      const wrong = faultOf(value, minLength, maxLength)
      if (wrong === undefined) return new Secret(value)
      context.addIssue({ code: 'custom', message: wrong })
      return z.NEVER
    })
    .optional()
    .meta({ secret: true, example: `\${${variable}}` })
}

export function secretUrl(example: string, ...schemes: readonly string[]) {
  const demand = `a URL such as ${example}, with special characters in the password as %XX`
  return text(demand, (text) => isServerUrl(text, schemes))
    .transform((url) => new Secret(url, redactUrl(url)))
    .optional()
    .meta({ secret: true })
}

function faultOf(value: string, minLength: number, maxLength: number): string | undefined {
  if (value.length < minLength) return `must have at least ${minLength} characters`
  if (value.length > maxLength) return `must have at most ${maxLength} characters`
  // What a header can carry: RFC 9110 forbids line breaks, and clients trim spaces.
  const isVisible = /^[\x21-\x7e]*$/.test(value)
  return isVisible ? undefined : 'must be visible ASCII characters, without spaces or line breaks'
}

function isServerUrl(text: string, schemes: readonly string[]): boolean {
  // A # that is not encoded ends the password early, and the rest is silently lost.
  if (!/^[\x21-\x7e]+$/.test(text) || text.includes('#') || !URL.canParse(text)) return false
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return false
  const url = new URL(text)
  const hasHost = url.hostname !== '' || url.searchParams.has('host')
  return hasHost && schemes.includes(url.protocol.slice(0, -1))
}
