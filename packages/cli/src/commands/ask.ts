import { randomUUID } from 'node:crypto'
import type { EvaluationResponse } from '@svc/client/api'
import { type Command, defineCommand } from '../command.ts'
import type { Context } from '../context.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { explanationText } from '../explanation-text.ts'
import { follow } from '../follow.ts'
import { orSuggest, suggestFor } from '../missing.ts'
import { argument, option } from '../options.ts'

const key = argument.one('KEY', 'the flag', { completes: 'flags' })

const entityOptions = {
  entity: option.text('-e, --entity ID', 'whom it is for'),
  context: option.list('-c, --context NAME=VALUE', 'what is known of them'),
}

const evaluate = defineCommand({
  name: 'evaluate',
  summary: 'ask what a flag serves',
  description:
    'Prints the answer as JSON with names in snake_case, as scripts of v1 expect it; --json prints it on one line as the API answers it. A token that may only evaluate is enough.',
  arguments: { key },
  options: {
    ...entityOptions,
    entity: option.text('-e, --entity ID', 'whom it is for; a random one unless given'),
    requestId: option.text('-r, --request-id ID', 'an id that the answer repeats'),
    watch: option.flag('-w, --watch', 'ask again and again, until Ctrl-C'),
    interval: option.duration('-i, --interval TIME', 'between two questions (default: 1s)', {
      minimumMs: 50,
    }),
    count: option.wholeNumber('--count COUNT', 'with --watch: how often at most', { minimum: 1 }),
  },
  examples: [
    { line: 'svc evaluate checkout -e user-42 -c country=DE', text: 'for one entity' },
    {
      line: 'svc evaluate checkout -e user-42 --watch -i 200ms --count 3',
      text: 'three times, to see a change arrive',
    },
  ],
  async run(
    context,
    { key, entity = randomUUID(), requestId = randomUUID(), watch, interval = 1000, ...given },
  ) {
    const { output } = context
    const request = {
      namespaceKey: context.namespaceKey,
      flagKey: key,
      entityId: entity,
      context: readPairs(given.context),
      requestId,
    }
    let asked = 0
    const ask = async () => {
      const answer = await evaluateOnce(context, request)
      output.row(answer, () => JSON.stringify(toSnakeCase(answer), undefined, 2))
      asked += 1
      return asked === given.count
    }
    if (watch) await follow(context, interval, ask)
    else await ask()
  },
})

type Request = NonNullable<Parameters<Context['api']['evaluation']['evaluateBoolean']>[0]>

/** The batch takes flags of either type, and only asks for the right to evaluate. */
async function evaluateOnce(context: Context, request: Request): Promise<object> {
  const { api, signal } = context
  const call = api.evaluation.evaluateBatch({ requests: [request] }, { signal })
  const { responses } = await orSuggest(context, 'namespaces', context.namespaceKey, call)
  const answer = answerOf(responses[0])
  if (answer !== undefined) return answer
  const message = `flag "${context.namespaceKey}/${request.flagKey}" not found`
  const hint = await suggestFor(context, 'flags', request.flagKey)
  throw new CliError(exitCodes.failed, message, hint)
}

function answerOf(response: EvaluationResponse | undefined): object | undefined {
  return response?.booleanResponse ?? response?.variantResponse
}

/** With its members named as v1 printed them: `requestId` as `request_id`. */
function toSnakeCase(answer: object): object {
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
}

/** Of `country=DE`: the value is all after the first `=`. */
function readPairs(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? []
      if (name === undefined || value === undefined) {
        throw new CliError(
          exitCodes.usage,
          `--context takes NAME=VALUE; it was given "${pair}"`,
          'For example: -c country=DE -c plan=pro',
        )
      }
      return [name, value]
    }),
  )
}

const explain = defineCommand({
  name: 'explain',
  summary: 'ask why a flag serves what it does',
  description: 'Shows each rule with its segments and constraints, and which one decided.',
  arguments: { key },
  options: entityOptions,
  examples: [
    { line: 'svc explain checkout -e user-42 -c country=DE', text: 'in words' },
    { line: 'svc explain color -e user-42 --json', text: 'all that was found, as JSON' },
  ],
  async run(context, { key, entity = '', ...given }) {
    const { api, namespaceKey, output, signal } = context
    const request = {
      namespaceKey,
      flagKey: key,
      entityId: entity,
      context: readPairs(given.context),
    }
    const call = api.explanations.explain(request, { signal })
    const explanation = await orSuggest(context, 'flags', key, call)
    output.value(explanation, () => explanationText(explanation, output))
  },
})

export const commands: readonly Command[] = [evaluate, explain]
