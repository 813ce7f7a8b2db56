/** Words and their numbers, as `seq2bert/vocabulary.py` counts them. */

import { Refusal } from "../engine.ts";

export class Vocabulary {
  private readonly ids: ReadonlyMap<string, number>;

  constructor(readonly words: readonly string[]) {
    this.ids = new Map(words.map((word, id) => [word, id] as const));
  }

  get size(): number {
    return this.words.length;
  }

  get bos(): number {
    return this.ids.get("<bos>") ?? 0;
  }

  get eos(): number {
    return this.ids.get("<eos>") ?? 0;
  }

  idOrUnknown(word: string): number {
    return this.ids.get(word) ?? this.ids.get("<unk>") ?? 0;
  }

  /** The numbers of words that a translation is to begin with. */
  prefix(words: readonly string[]): number[] {
    return words.map((word) => {
      const id = this.ids.get(word);
      if (id === undefined) throw new Refusal(`the translation cannot begin with ${word}, which the model does not know`);
      return id;
    });
  }

  word(id: number): string {
    return this.words[id] ?? "<unk>";
  }
}
