import type { en } from '../../english/en-templates.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  start: {
    open: 'Usar um modelo',
    title: 'Começar com',
    text: 'Ele preenche o formulário. Nada é salvo até você salvar.',
    templates: 'Um modelo',
    past: 'Uma enquete anterior',
    find: 'Buscar nas suas enquetes',
    none: 'Nenhuma enquete corresponde.',
  },
  templates: {
    next: {
      name: 'O que vem a seguir',
      use: 'Produtos, sabores, temas: deixe as pessoas escolherem o que você fará.',
      title: 'Que sabor fazemos agora?',
      a: 'Algo novo',
      b: 'Um clássico',
    },
    design: {
      name: 'Dois designs',
      use: 'Adicione duas imagens. Cada dispositivo as vê em uma ordem própria.',
      title: 'Qual capa você prefere?',
      a: 'A primeira',
      b: 'A segunda',
    },
    feedback: {
      name: 'Depois da leitura',
      use: 'Para artigos e páginas de ajuda. Só a sua equipe vê o resultado.',
      title: 'Isto respondeu à sua pergunta?',
      a: 'Sim',
      b: 'Não',
    },
    date: {
      name: 'Achar uma data',
      use: 'Para eventos e reuniões. Defina quando a enquete fecha.',
      title: 'Quando é melhor para você?',
      a: 'Sexta à noite',
      b: 'Sábado à tarde',
    },
    guess: {
      name: 'Adivinhar quem ganha',
      use: 'Para jogos e prêmios. Feche antes do início; quem vota vê o resultado.',
      title: 'Quem ganha hoje à noite?',
      a: 'O time da casa',
      b: 'Os visitantes',
    },
    room: {
      name: 'Quebrar o gelo',
      use: 'Uma pergunta leve para um palco ou uma chamada; todos veem o resultado.',
      title: 'Quando você trabalha melhor?',
      a: 'De manhã',
      b: 'À noite',
    },
  },
}
