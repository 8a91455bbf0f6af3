import type { en } from '../../english/en-templates.ts'
import type { Translation } from '../../translation.ts'

export const translation: Translation<typeof en> = {
  start: {
    open: 'Usar una plantilla',
    title: 'Empezar con',
    text: 'Rellena el formulario. No se guarda nada hasta que lo guardes.',
    templates: 'Una plantilla',
    past: 'Una encuesta anterior',
    find: 'Buscar en tus encuestas',
    none: 'Ninguna encuesta coincide.',
  },
  templates: {
    next: {
      name: 'Lo próximo',
      use: 'Productos, sabores, temas: deja elegir qué harás.',
      title: '¿Qué sabor hacemos ahora?',
      a: 'Algo nuevo',
      b: 'Un clásico',
    },
    design: {
      name: 'Dos diseños',
      use: 'Añade dos imágenes. Cada dispositivo las ve en un orden propio.',
      title: '¿Qué portada prefieres?',
      a: 'La primera',
      b: 'La segunda',
    },
    feedback: {
      name: 'Después de leer',
      use: 'Para artículos y páginas de ayuda. Solo tu equipo ve el resultado.',
      title: '¿Ha respondido esto a tu pregunta?',
      a: 'Sí',
      b: 'No',
    },
    date: {
      name: 'Encontrar una fecha',
      use: 'Para eventos y reuniones. Fija cuándo se cierra la encuesta.',
      title: '¿Cuándo te viene mejor?',
      a: 'El viernes por la noche',
      b: 'El sábado por la tarde',
    },
    guess: {
      name: 'Adivinar quién gana',
      use: 'Para partidos y premios. Ciérrala antes del comienzo; quien vota ve el resultado.',
      title: '¿Quién gana esta noche?',
      a: 'El equipo local',
      b: 'El visitante',
    },
    room: {
      name: 'Romper el hielo',
      use: 'Una pregunta ligera para un escenario o una llamada; todos ven el resultado.',
      title: '¿Cuándo trabajas mejor?',
      a: 'Por la mañana',
      b: 'Por la noche',
    },
  },
}
