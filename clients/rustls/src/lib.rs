//! Holds nothing: the tests are all there is.
