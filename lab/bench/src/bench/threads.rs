//! Threads that share a batch: how many of them are measured, and the pool that holds them.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::error::Error;
use super::work::What;

/// The most threads.
pub(super) const MOST: usize = 1024;

/// The numbers of threads to measure where none are asked for: 1, 2, 4 and so on, and last as many as run at once here.
pub(super) fn usual() -> Vec<usize> {
    up_to(available_parallelism().map_or(1, NonZeroUsize::get).min(MOST))
}

/// The powers of two below a number, and the number.
fn up_to(most: usize) -> Vec<usize> {
    let powers = (0..).map(|power| 1 << power);
    powers.take_while(|&power| power < most).chain([most]).collect()
}

/// The pool of threads that calls run on; without one they run on the thread that asks for them.
pub(super) struct Pool(Option<ThreadPool>);

impl Pool {
    /// The pool for calls of something.
    pub(super) fn of(what: What) -> Result<Self, Error> {
        let pool = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.map_err(|error| Error::Threads { threads, cause: error.to_string() })
        };
        what.threads().map(pool).transpose().map(Self)
    }

    /// Makes calls there.
    pub(super) fn run<T: Send>(&self, calls: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(calls),
            None => calls(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_double_up_to_the_last() {
        assert_eq!(up_to(1), [1]);
        assert_eq!(up_to(2), [1, 2]);
        assert_eq!(up_to(8), [1, 2, 4, 8]);
        assert_eq!(up_to(12), [1, 2, 4, 8, 12]);
    }

    #[test]
    fn calls_see_the_threads_of_their_pool() {
        let what = What::from_name("threads-xtea-ctr").expect("the name is known");
        for what in what.on_threads(&[1, 3]) {
            let pool = Pool::of(what).expect("threads can be started");
            assert_eq!(Some(pool.run(rayon::current_num_threads)), what.threads());
        }
    }
}
