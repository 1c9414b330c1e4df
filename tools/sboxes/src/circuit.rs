//! Circuits: gates on the four bits of a nibble.
//!
//! A function of the four input bits is its truth table, a `u16`: bit `n` is the value at the nibble `n`.
//! Searches deal in *normal* functions, those with the value zero at zero. A function or its complement is
//! normal, a gate of normal operands can be chosen normal, and `&`, `|`, `^` and `!a & b` are all the normal
//! functions of two bits, so nothing is lost and the number of functions halves.

/// The truth tables of the inputs; the first holds the least significant bit.
pub(super) const INPUTS: [u16; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// A function or its complement, whichever is normal.
pub(super) fn normal(f: u16) -> u16 {
    if f & 1 == 1 { !f } else { f }
}

/// The truth tables of the output bits of an S-box.
pub(super) fn tables(sbox: &[u8; 16]) -> [u16; 4] {
    [0, 1, 2, 3].map(|bit| {
        sbox.iter().enumerate().fold(0, |table, (n, value)| table | u16::from(value >> bit & 1) << n)
    })
}

/// A gate. Its operands are signals: the four inputs, then the gates in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Xor(usize, usize),
    /// `!a & b`.
    AndNot(usize, usize),
    /// Bit `4a + 2b + c` of the table.
    Ternary(u8, [usize; 3]),
}

impl Gate {
    /// The gate of two operands that computes `f` from the values of `a` and `b`, if there is one.
    pub(super) fn of_two(f: u16, values: &[u16], a: usize, b: usize) -> Option<Self> {
        let gates =
            [Gate::Xor(a, b), Gate::And(a, b), Gate::Or(a, b), Gate::AndNot(a, b), Gate::AndNot(b, a)];
        gates.into_iter().find(|gate| gate.value(values) == f)
    }

    /// The gate of three operands that computes `f`, if there is one.
    pub(super) fn of_three(f: u16, values: &[u16], operands: [usize; 3]) -> Option<Self> {
        let mut table = 0;
        for row in 0..8 {
            let cell = cell(operands.map(|operand| values[operand]), row);
            match f & cell {
                0 => {}
                ones if ones == cell => table |= 1 << row,
                _ => return None,
            }
        }
        Some(Gate::Ternary(table, operands))
    }

    /// The truth table of the gate, given those of the signals.
    pub(super) fn value(self, values: &[u16]) -> u16 {
        match self {
            Gate::Not(a) => !values[a],
            Gate::And(a, b) => values[a] & values[b],
            Gate::Or(a, b) => values[a] | values[b],
            Gate::Xor(a, b) => values[a] ^ values[b],
            Gate::AndNot(a, b) => !values[a] & values[b],
            Gate::Ternary(table, operands) => (0..8)
                .filter(|row| table >> row & 1 == 1)
                .fold(0, |f, row| f | cell(operands.map(|operand| values[operand]), row)),
        }
    }

    /// The signals that enter.
    pub(super) fn operands(&self) -> Vec<usize> {
        match *self {
            Gate::Not(a) => vec![a],
            Gate::And(a, b) | Gate::Or(a, b) | Gate::Xor(a, b) | Gate::AndNot(a, b) => vec![a, b],
            Gate::Ternary(_, operands) => operands.to_vec(),
        }
    }

    /// Returns the gate with other operands.
    fn renamed(self, name: impl Fn(usize) -> usize) -> Self {
        match self {
            Gate::Not(a) => Gate::Not(name(a)),
            Gate::And(a, b) => Gate::And(name(a), name(b)),
            Gate::Or(a, b) => Gate::Or(name(a), name(b)),
            Gate::Xor(a, b) => Gate::Xor(name(a), name(b)),
            Gate::AndNot(a, b) => Gate::AndNot(name(a), name(b)),
            Gate::Ternary(table, operands) => Gate::Ternary(table, operands.map(name)),
        }
    }
}

/// Returns the truth table of the nibbles at which three bits make up `row`, four times the first and so on.
fn cell([a, b, c]: [u16; 3], row: u8) -> u16 {
    let literal = |f: u16, bit: u8| if row >> bit & 1 == 1 { f } else { !f };
    literal(a, 2) & literal(b, 1) & literal(c, 0)
}

/// Gates in an order in which they can be computed, and which signals are the outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Circuit {
    pub(super) gates: Vec<Gate>,
    pub(super) outputs: [usize; 4],
}

impl Circuit {
    /// The truth tables of all signals.
    pub(super) fn values(&self) -> Vec<u16> {
        let mut values = INPUTS.to_vec();
        for gate in &self.gates {
            values.push(gate.value(&values));
        }
        values
    }

    /// True if the circuit computes the S-box, at each of the sixteen nibbles.
    pub(super) fn computes(&self, sbox: &[u8; 16]) -> bool {
        let values = self.values();
        self.outputs.map(|output| values[output]) == tables(sbox)
    }

    /// Returns the number of gates that an output waits for, one after another.
    pub(super) fn depth(&self) -> usize {
        self.depths(|_| 0).into_iter().max().unwrap_or(0)
    }

    /// Returns the depth of each output, counted from the time at which each input is ready.
    pub(super) fn depths(&self, ready: impl Fn(usize) -> usize) -> [usize; 4] {
        let mut depths: Vec<usize> = (0..4).map(ready).collect();
        for gate in &self.gates {
            depths.push(1 + gate.operands().into_iter().map(|operand| depths[operand]).max().unwrap_or(0));
        }
        self.outputs.map(|output| depths[output])
    }

    /// Gates with three inputs.
    pub(super) fn ternaries(&self) -> usize {
        self.gates.iter().filter(|gate| matches!(gate, Gate::Ternary(..))).count()
    }

    /// The values that are alive at once, in the order of the gates.
    pub(super) fn live(&self) -> usize {
        let needed = self.needed();
        let (mut done, mut most) = (0, 4);
        for gate in 0..self.gates.len() {
            done |= 1 << gate;
            most = most.max(alive(&needed, &self.outputs, done));
        }
        most
    }

    /// The circuit without gates that no output needs.
    pub(super) fn pruned(mut self) -> Self {
        let unused = |circuit: &Self| {
            let needed = circuit.needed();
            (4..needed.len()).find(|signal| needed[*signal] == 0 && !circuit.outputs.contains(signal))
        };
        while let Some(signal) = unused(&self) {
            let name = |other: usize| if other > signal { other - 1 } else { other };
            self.gates.remove(signal - 4);
            self.gates = self.gates.iter().map(|gate| gate.renamed(name)).collect();
            self.outputs = self.outputs.map(name);
        }
        self
    }

    /// Returns the circuit with its gates in an order that keeps the fewest values alive.
    pub(super) fn ordered(&self) -> Self {
        let needed = self.needed();
        let count = self.gates.len();
        // The best order of each set of gates: its most values alive, and its last gate.
        let mut best: Vec<Option<(usize, usize)>> = vec![None; 1 << count];
        best[0] = Some((4, 0));
        for done in 0..best.len() {
            let Some((most, _)) = best[done] else { continue };
            for gate in (0..count).filter(|gate| done >> gate & 1 == 0) {
                let ready = |&operand: &usize| operand < 4 || done >> (operand - 4) & 1 == 1;
                if self.gates[gate].operands().iter().all(ready) {
                    let next = done | 1 << gate;
                    let most = most.max(alive(&needed, &self.outputs, next));
                    if best[next].is_none_or(|(other, _)| most < other) {
                        best[next] = Some((most, gate));
                    }
                }
            }
        }
        let mut order = Vec::new();
        let mut done = best.len() - 1;
        while done != 0 {
            let (_, gate) = best[done].expect("every set on the way back has an order");
            order.push(gate);
            done ^= 1 << gate;
        }
        order.reverse();
        let name = |signal: usize| match signal.checked_sub(4) {
            None => signal,
            Some(gate) => {
                4 + order.iter().position(|&other| other == gate).expect("every gate is in the order")
            }
        };
        let gates = order.iter().map(|&gate| self.gates[gate].renamed(name)).collect();
        Self { gates, outputs: self.outputs.map(name) }
    }

    /// For each signal the set of gates that take it.
    fn needed(&self) -> Vec<usize> {
        let mut needed = vec![0; 4 + self.gates.len()];
        for (i, gate) in self.gates.iter().enumerate() {
            for operand in gate.operands() {
                needed[operand] |= 1 << i;
            }
        }
        needed
    }
}

/// The values that are alive when the gates of the set `done` have been computed.
fn alive(needed: &[usize], outputs: &[usize; 4], done: usize) -> usize {
    let alive = |&signal: &usize| {
        let computed = signal < 4 || done >> (signal - 4) & 1 == 1;
        computed && (needed[signal] & !done != 0 || outputs.contains(&signal))
    };
    (0..needed.len()).filter(alive).count()
}

/// Random numbers (splitmix64, Steele, Lea and Flood), the same on each run.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `limit`, which is small.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        (((self.next() >> 32) * limit as u64) >> 32) as usize
    }
}
