//! `abreast kernels CIPHER`: the kernels that the target has for a cipher, and what each mode makes of the chosen one.

use abreast::kernels::{Algorithm, algorithms};
use abreast::table::{
    Does, KernelRow, MODES, ModeBlocks, ModeKeys, ModeRow, Waits, blocks_at_a_time, kernels_of_target,
};

use crate::names::json;
use crate::table::aligned;

/// AEZ, which has AES's kernels.
const AEZ: &str = "aez";

/// RC4, which has kernels of its own and no modes.
const RC4: &str = "rc4";

/// Lists the ciphers that can be asked for.
pub(crate) fn names() -> Vec<&'static str> {
    algorithms().iter().map(|cipher| cipher.name()).chain([AEZ, RC4]).collect()
}

/// The facts about a cipher.
pub(crate) struct Choice {
    name: String,
    kernels: Vec<KernelRow>,
    modes: Vec<Mode>,
}

/// The facts about a mode of a cipher.
struct Mode {
    row: &'static ModeRow,
    /// Blocks of a message that go side by side where they do not wait.
    most: usize,
}

impl Choice {
    /// Collects the facts about a cipher of the list, if it has modes.
    pub(crate) fn of(name: &str) -> Option<Self> {
        // AEZ is made of AES rounds.
        let cipher = Algorithm::from_name(if name == AEZ { "aes-128" } else { name })?;
        let key = cipher.with_key(&vec![0; cipher.key_len()], None).expect("a key of the right length");
        let [ecb, others] = blocks_at_a_time(&*key);
        let is_of = |row: &&ModeRow| match row.blocks {
            _ if name == AEZ => row.name == AEZ,
            ModeBlocks::Any => true,
            ModeBlocks::Of16 => cipher.block_size() == 16,
            ModeBlocks::None => {
                let ModeKeys::Own(lens) = row.keys else { return false };
                name.starts_with("aes-") && lens.contains(&cipher.key_len())
            }
        };
        let modes = MODES.iter().filter(is_of);
        Some(Self {
            name: name.into(),
            kernels: kernels_of_target(cipher),
            modes: modes
                .map(|row| Mode { row, most: if row.name == "ecb" { ecb } else { others } })
                .collect(),
        })
    }

    fn chosen(&self) -> &'static str {
        self.kernels.iter().find(|row| row.runs).map_or("", |row| row.name)
    }

    /// Tells why a cipher runs on its kernel, and what goes side by side in each mode.
    pub(crate) fn text(&self) -> String {
        let (name, chosen) = (&self.name, self.chosen());
        let mut kernels = vec![["kernel", "this CPU", "needs"].map(String::from).to_vec()];
        kernels.extend(self.kernels.iter().map(|row| {
            let this = match row.runs {
                true if row.name == chosen => "takes it",
                true => "can run it",
                false => "cannot run it",
            };
            let needs = if row.needs.is_empty() { "nothing".into() } else { row.needs.replace(',', " ") };
            vec![row.name.into(), this.into(), needs]
        }));
        let mut modes = vec![["mode", "blocks at a time", "many messages", "why"].map(String::from).to_vec()];
        modes.extend(self.modes.iter().map(Mode::cells));
        format!(
            "{name} runs on {chosen}: of its kernels, best first, the first that this CPU can run.\n\n{}\n{}\n\
             The kernel is chosen once, with the key, and serves every mode.\n\
             Calls for many messages take blocks of several messages side by side, where one message would wait.\n",
            aligned(&kernels),
            aligned(&modes)
        )
    }

    /// Returns the same facts as two fields of an object of JSON.
    pub(crate) fn json(&self) -> String {
        let kernels = self.kernels.iter().map(|row| {
            let needs = row.needs.split(',').filter(|name| !name.is_empty()).map(json);
            let needs = needs.collect::<Vec<_>>().join(",");
            format!("{{\"kernel\":{},\"runs\":{},\"needs\":[{needs}]}}", json(row.name), row.runs)
        });
        let modes = self.modes.iter().map(Mode::json);
        format!(
            "\"of_target\":[{}],\"modes\":[{}]",
            kernels.collect::<Vec<_>>().join(","),
            modes.collect::<Vec<_>>().join(",")
        )
    }
}

impl Mode {
    /// Returns the blocks at a time of a message that is encrypted and of one that is decrypted.
    fn blocks(&self) -> [usize; 2] {
        match self.row.waits {
            Waits::Never => [self.most; 2],
            Waits::Encrypting => [1, self.most],
            Waits::Always => [1; 2],
        }
    }

    fn takes_many(&self) -> bool {
        self.row.operations.contains(&Does::Batch)
    }

    fn cells(&self) -> Vec<String> {
        let [encrypting, decrypting] = self.blocks();
        let blocks = if encrypting == decrypting {
            encrypting.to_string()
        } else {
            format!("{encrypting}, decrypting {decrypting}")
        };
        let why = match self.row.waits {
            Waits::Never => "no block waits for another",
            Waits::Encrypting => "encryption needs the ciphertext before each block",
            Waits::Always => "each block needs the result of the one before, for its text or tag",
        };
        vec![self.row.name.into(), blocks, if self.takes_many() { "yes" } else { "-" }.into(), why.into()]
    }

    fn json(&self) -> String {
        let [encrypting, decrypting] = self.blocks();
        format!(
            "{{\"mode\":{},\"blocks_encrypting\":{encrypting},\"blocks_decrypting\":{decrypting},\"many_messages\":{}}}",
            json(self.row.name),
            self.takes_many()
        )
    }
}
