import { join } from 'node:path'

export interface Instruction {
  readonly word: string
  readonly text: string
}

/** The instructions of a Dockerfile, continued lines joined. */
export async function readDockerfile(folder: string): Promise<Instruction[]> {
  const text = await Bun.file(join(folder, 'Dockerfile')).text()
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, word = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? []
      if (word === '') throw new Error(`not an instruction: ${line}`)
      return { word, text: rest }
    })
}

/** Each FROM begins a stage. */
export function stagesOf(instructions: readonly Instruction[]): Instruction[][] {
  const stages: Instruction[][] = []
  for (const instruction of instructions) {
    if (instruction.word === 'FROM') stages.push([])
    stages.at(-1)?.push(instruction)
  }
  return stages
}

/** `NAME=value NAME=value`. */
export const variablesOf = (stage: readonly Instruction[]): Record<string, string> =>
  Object.fromEntries(
    stage
      .filter(({ word }) => word === 'ENV')
      .flatMap(({ text }) => text.split(/\s+/))
      .map((pair) => {
        const [name = '', ...value] = pair.split('=')
        return [name, value.join('=')]
      }),
  )
