import { SERVICE } from '../../../src/features/pages/docs/page-parts.ts'
import { API, BASE, type Described, type Operation, type Schema } from './document.ts'
import { fieldsOf, ruleTexts, typeOf } from './fields.ts'
import { codesOf, meaningOf, needsOf } from './operation.ts'
import { TAGS } from './pages.ts'

/** A text on one line, for an entry of a list. */
const line = (text = ''): string => text.replaceAll(/\s+/g, ' ').trim()

/** The fields of a body with the fields inside of them, as a list. */
function fieldLines(given: Schema, indent = ''): string[] {
  const schema = fieldsOf(given)
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const about = [typeOf(field), ...(schema?.required?.includes(name) ? ['required'] : []), ...ruleTexts(field)]
    const inner = indent.length < 6 ? fieldLines(field, `${indent}  `) : []
    return [`${indent}- \`${name}\` (${about.join('; ')}): ${line(field.description)}`, ...inner]
  })
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`### ${title}`, lines.join('\n')]

const parameterLines = ({ parameters = [] }: Operation): string[] =>
  parameters.map(({ name, in: place, required, description, schema = {} }) => {
    const about = [typeOf(schema), place, ...(required ? ['required'] : []), ...ruleTexts(schema)]
    return `- \`${name}\` (${about.join('; ')}): ${line(description)}`
  })

const schemaOf = ({ content = {} }: Described): Schema => Object.values(content)[0]?.schema ?? {}

function answerLines({ responses, method }: Operation): string[] {
  return Object.entries(responses).flatMap(([status, answer]) => {
    const codes = method === 'EVENT' ? [] : codesOf(answer)
    if (Number(status) >= 400 && codes.length > 0)
      return codes.map((code) => `- ${status} \`${code}\`: ${line(meaningOf(code))}`)
    return [`- ${status}: ${line(answer.description)}`, ...fieldLines(schemaOf(answer), '  ')]
  })
}

function operationText(operation: Operation): string {
  const { method, path, summary, description, requestBody } = operation
  return [
    `## ${summary}`,
    `\`${method} ${path}\``,
    description,
    ...(method === 'EVENT' ? [] : [`Needs ${needsOf(operation)}.`]),
    ...section('Parameters', parameterLines(operation)),
    ...section('Body', requestBody ? fieldLines(schemaOf(requestBody)) : []),
    ...section('Answers', answerLines(operation)),
  ].join('\n\n')
}

function overviewText(): string {
  const groups = TAGS.flatMap(({ name, address, operations }) => [
    `## [${name}](${address}.md)`,
    operations.map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}`).join('\n'),
  ])
  const base = `Base address \`${SERVICE}${BASE}\`. Made from [openapi.json](/openapi.json).`
  return ['# Reference', base, API.info.description, ...groups].join('\n\n')
}

/** The pages of the reference for programs, by their addresses. */
export const REFERENCE_TEXTS: readonly (readonly [address: string, text: string])[] = [
  ['/docs/api.md', `${overviewText()}\n`],
  ...TAGS.map(({ name, description, address, operations }): readonly [string, string] => [
    `${address}.md`,
    `${[`# ${name}`, description, ...operations.map(operationText)].join('\n\n')}\n`,
  ]),
]
