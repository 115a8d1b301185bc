require 'json'
require_relative "x"

=begin
def no; end }
=end
module Billing
  VERSION = "1.0".freeze
  CONF = {
    a: 1,
    "b" => %w[x } y],
  }.freeze

  # doc
  class Invoice < ApplicationRecord
    include Foo
    attr_reader :a, :b?

    Line = Struct.new(:a) do
      def total; 1; end
    end

    def initialize(a, b: 2)
      @a = a / 2
      s = "it's #{b.map { |x| "n#{x}" }} end"
      return if a =~ /end\/"/
    rescue Foo => e
      raise
    end

    def self.find(id) = where(id: id).first

    def ==(other)
      other.a == a
    end

    def name=(v)
      @name = v
    end

    def valid?; true; end

    class << self
      def build!
        sql = <<~SQL, foo(1)
          select 'x
          end
        SQL
        sql
      end
    end

    private

    private def hidden
      1
    end

    def [](i)
      @a[i]
    end
  end
end

def top(x)
  if x
    1
  end
end

class A::B; end
